package io.distributedlock.actuate;

import io.distributedlock.LockInspector;
import io.distributedlock.event.LockStatistics;
import io.distributedlock.store.LockStore;

/**
 * A registry in the reports for operators.
 *
 * @param name the name of its bean
 * @param inspector the inspector of its locks
 * @param store the store of its locks
 * @param statistics its statistics
 * @since 0.1.0
 */
public record LockSource(String name, LockInspector inspector, LockStore store, LockStatistics statistics) {
}
