"""Language models of any provider through litellm: prompts, delimiting, prices, retries, cached
replies.
"""
