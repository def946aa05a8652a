package io.distributedlock.engine.internal.instance;

import java.util.concurrent.Executor;

/**
 * The executors for code of users, separated so that code that blocks delays little: a
 * listener that blocks delays no lease, and a body that blocks delays neither its own
 * release nor the notification of a loss.
 *
 * @param leases completes requests with their lease
 * @param endings completes results without a lease: releases, and failed requests
 * @param losses runs actions after a loss, and publishes its events
 * @param dangers runs actions when a loss is near
 * @param events publishes all other events; may drop some
 */
public record EngineExecutors(Executor leases, Executor endings, Executor losses, Executor dangers, Executor events) {
}
