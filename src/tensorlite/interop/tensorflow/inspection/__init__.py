"""What people see of a GraphDef: reports, trees, pictures, lists of nodes."""
