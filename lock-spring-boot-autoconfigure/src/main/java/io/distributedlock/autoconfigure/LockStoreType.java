package io.distributedlock.autoconfigure;

import io.distributedlock.store.LockStore;

/**
 * A kind of store that the property {@code distributed-lock.store} can name. The artifact
 * of a store has a configuration class with two beans. One is of this type. The other is
 * the store, named {@code distributedLockStore} and conditional
 * {@linkplain ConditionalOnLockStore on its name}. The class is listed in the artifact's
 * file {@code META-INF/spring/io.distributedlock.autoconfigure.LockStoreType.imports}.
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
	 * Returns whether a store is of this kind. A store of another kind, declared by the
	 * application, does not use the settings of this one.
	 * @param store the store in use
	 * @return {@code true} if it is
	 */
	boolean includes(LockStore store);

	/**
	 * The reason why there is no store although this one is chosen. Called only then.
	 * @return the missing part and the remedy
	 */
	Missing missing();

	/**
	 * Refuse settings of this store that have no effect because another store is chosen,
	 * if users would expect one. Refuses none by default.
	 * @param chosen the name of the other store
	 * @throws RuntimeException with the setting and the remedy; it stops the start
	 */
	default void refuseWhenChosen(String chosen) {
	}

	/**
	 * A part that a store needs and that is missing.
	 *
	 * @param problem the missing part as a clause, such as "there is no DataSource bean"
	 * @param remedy the remedy as a sentence without its full stop
	 * @since 0.1.0
	 */
	record Missing(String problem, String remedy) {
	}

}
