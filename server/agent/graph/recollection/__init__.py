"""What a turn is given of before: the memory of its account, earlier words of its conversation, what people said."""
