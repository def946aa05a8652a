package io.distributedlock.engine;

import java.util.function.Supplier;

/**
 * Why a waiter got nothing. The exception is made by whoever throws it, so that its stack
 * trace is the caller's.
 */
@FunctionalInterface
interface Failure extends Supplier<RuntimeException> {

}
