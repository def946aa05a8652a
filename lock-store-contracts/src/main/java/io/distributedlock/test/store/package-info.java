/**
 * The contract suites of lock stores, to be extended by the tests of a store. The suites
 * build on each other:
 * {@link io.distributedlock.test.store.LockStoreTogetherContractTests} has all of them,
 * {@link io.distributedlock.test.store.LockStoreInspectionContractTests} all but those on
 * several locks in one command,
 * {@link io.distributedlock.test.store.LockStoreSemaphoreContractTests} none with a
 * monitor either. The tests of a store with fair locks also implement
 * {@link io.distributedlock.test.store.LockStoreFairContract}. Tests of modes and of
 * wake-ups that the capabilities of a store lack are skipped, so a store with less runs
 * the same suites. Each states the capabilities that its store must have. They need JUnit
 * Jupiter, AssertJ and Awaitility.
 * <table>
 * <caption>Methods to override</caption>
 * <tr>
 * <th>method</th>
 * <th>overridden for</th>
 * </tr>
 * <tr>
 * <td>{@code createStore}, {@code expectedCapabilities}</td>
 * <td>every store</td>
 * </tr>
 * <tr>
 * <td>{@code awaitListening}</td>
 * <td>a store that listens from its start and does not call {@code wakeUpAll} then</td>
 * </tr>
 * <tr>
 * <td>{@code awaitTaken}, {@code awaitReleased}, {@code isExpiryNoticed},
 * {@code repeatsWakeUps}, {@code assertNoMore}, {@code assertReaderHas}</td>
 * <td>a store on several servers, some of which answer late</td>
 * </tr>
 * </table>
 */
@NullMarked
package io.distributedlock.test.store;

import org.jspecify.annotations.NullMarked;
