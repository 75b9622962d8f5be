"""Images: files, sizes, colours, boxes, parts."""
