package io.distributedlock.actuate;

import io.distributedlock.LockInspector;
import io.distributedlock.event.LockStatistics;
import io.distributedlock.store.LockStore;

/**
 * A registry that operators look at.
 *
 * @param name the name of its bean
 * @param inspector the inspector of its locks
 * @param store where it keeps its locks
 * @param statistics its numbers
 * @since 0.1.0
 */
public record LockSource(String name, LockInspector inspector, LockStore store, LockStatistics statistics) {
}
