package io.distributedlock.autoconfigure;

import io.distributedlock.store.LockStore;

/**
 * A kind of store that the property {@code distributed-lock.store} can name. The artifact
 * of a store has a configuration class with a bean of this type and, conditional
 * {@linkplain ConditionalOnLockStore on its name}, the store as a bean named
 * {@code distributedLockStore}. The class is listed in the artifact's file
 * {@code META-INF/spring/io.distributedlock.autoconfigure.LockStoreType.imports}.
 *
 * @since 0.1.0
 */
public interface LockStoreType {

	/**
	 * The value of the property that chooses this store.
	 * @return the name, in lower case
	 */
	String name();

	/**
	 * Returns whether a store is of this kind. The settings of another one, declared by
	 * the application, are its own.
	 * @param store the store in use
	 * @return whether it is
	 */
	boolean includes(LockStore store);

	/**
	 * The reason why there is no store although this one is chosen. Called only then.
	 * @return what is missing, and the remedy
	 */
	Missing missing();

	/**
	 * Refuse settings of this store that would be thought to have an effect although
	 * another store is chosen. By default none are.
	 * @param chosen the name of the other store
	 * @throws RuntimeException with the setting and the remedy; it stops the start
	 */
	default void refuseWhenChosen(String chosen) {
	}

	/**
	 * A part that a store needs and that is not there.
	 *
	 * @param problem what is missing, as a clause, such as "there is no DataSource bean"
	 * @param remedy what to do, as a sentence without its full stop
	 * @since 0.1.0
	 */
	record Missing(String problem, String remedy) {
	}

}
