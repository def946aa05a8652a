package io.distributedlock.engine;

/** The fault that must be found: everybody passes for the same owner. */
public class SharedOwnerOperations extends ExclusionOperations {

	@Override
	Object owner(int number) {
		return "somebody";
	}

}
