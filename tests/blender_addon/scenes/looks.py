def facts_of(name):
    return {}
