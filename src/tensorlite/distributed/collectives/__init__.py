"""All-reduce and the like: what tasks compute together without anybody in the middle."""
