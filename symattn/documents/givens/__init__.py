"""What a document gives: its matrices, vectors, words and d_k, however they are written."""
