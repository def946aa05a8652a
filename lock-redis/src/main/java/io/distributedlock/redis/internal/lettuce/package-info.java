/**
 * The driver for Lettuce: asynchronous, on connections that reconnect by themselves. The
 * only package that needs Lettuce on the class path.
 */
@NullMarked
package io.distributedlock.redis.internal.lettuce;

import org.jspecify.annotations.NullMarked;
