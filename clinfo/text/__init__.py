"""Reading of English medical prose: sentences, figures, effects, designs, arms, directions. Pure
functions of text.
"""
