from hypothesis import settings

settings.register_profile("softcost", deadline=None, max_examples=60)
settings.load_profile("softcost")
