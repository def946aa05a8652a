package com.example.mapstore;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the store, under a prefix of their own.
 *
 * @param retention time to keep tokens and ended requests after a lease, at least a
 * second
 * @param commandTimeout how long a command may go unanswered
 */
@ConfigurationProperties("map")
record MapLockProperties(@DefaultValue("60s") Duration retention, @DefaultValue("1s") Duration commandTimeout) {
}
