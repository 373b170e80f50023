print("jackstay")
