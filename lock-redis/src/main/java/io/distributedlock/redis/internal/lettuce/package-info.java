/**
 * The driver for Lettuce: asynchronous, on connections that reconnect by themselves, but
 * for the scripts of a quorum node. The only package that needs Lettuce.
 */
@NullMarked
package io.distributedlock.redis.internal.lettuce;

import org.jspecify.annotations.NullMarked;
