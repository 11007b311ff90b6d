"""Tables as matrices and as steps: grids of cells, what headers and titles say, the chains that they stand for."""
