package io.distributedlock.actuate;

/**
 * A setting of a lock profile that is in force.
 *
 * @param value the value as text
 * @param origin where it was set, such as a file with its line, or {@code default}
 * @since 0.1.0
 */
public record LockSetting(String value, String origin) {
}
