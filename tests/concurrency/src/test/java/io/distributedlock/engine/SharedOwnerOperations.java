package io.distributedlock.engine;

/** The fault that must be found: all threads are taken for the same owner. */
public class SharedOwnerOperations extends ExclusionOperations {

	@Override
	Object owner(int number) {
		return "shared";
	}

}
