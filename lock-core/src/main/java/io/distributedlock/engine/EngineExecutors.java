package io.distributedlock.engine;

import java.util.concurrent.Executor;

/**
 * Where code of users runs, apart by what may block what: a listener that blocks delays
 * no lease, and a body that blocks delays neither its own release nor the news of a loss.
 *
 * @param leases completes requests with their lease
 * @param endings completes what gives no lease: releases, and requests that failed
 * @param losses runs what is to happen at a loss, and tells events of it
 * @param dangers runs what is to happen when a loss may come
 * @param events tells all other events; may drop some
 */
record EngineExecutors(Executor leases, Executor endings, Executor losses, Executor dangers, Executor events) {
}
