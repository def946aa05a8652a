package com.example.mapstore;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Locks as texts in a map behind a monitor, in place of a server: all that passes between
 * it and a store is text and time.
 */
final class LockMap {

	private final Map<String, String> texts = new HashMap<>();

	/** The subscriptions with their channels. */
	private final Map<Subscriber, String> channels = new LinkedHashMap<>();

	private boolean connected = true;

	/**
	 * Read a text and the clock of the server in one step, as this does in SQL:
	 * {@code SELECT state, CURRENT_TIMESTAMP(3) FROM locks WHERE name = ?}.
	 */
	synchronized Row read(String name) {
		return new Row(this.texts.get(name), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
	}

	synchronized boolean replace(String name, @Nullable String expected, String text) {
		return (expected != null) ? this.texts.replace(name, expected, text)
				: this.texts.putIfAbsent(name, text) == null;
	}

	/** Receive the messages of one channel, and no longer those of another. */
	void subscribe(String channel, Subscriber subscriber) {
		boolean subscribed;
		synchronized (this) {
			this.channels.put(subscriber, channel);
			subscribed = this.connected;
		}
		if (subscribed) {
			subscriber.subscribed();
		}
	}

	synchronized void unsubscribe(Subscriber subscriber) {
		this.channels.remove(subscriber);
	}

	/** Deliver a message to those who are connected; the others never get it. */
	void publish(String channel, String message) {
		subscribers().stream()
			.filter((each) -> each.getValue().equals(channel))
			.forEach((each) -> each.getKey().received(message));
	}

	private synchronized List<Map.Entry<Subscriber, String>> subscribers() {
		return this.connected ? List.copyOf(this.channels.entrySet()) : List.of();
	}

	/** Break the connections of all subscriptions, or make them again. */
	void setConnected(boolean connected) {
		List<Subscriber> all;
		synchronized (this) {
			this.connected = connected;
			all = new ArrayList<>(this.channels.keySet());
		}
		all.forEach(connected ? Subscriber::subscribed : Subscriber::disconnected);
	}

	/**
	 * The answer to a read.
	 *
	 * @param text the text, or {@code null} if there is none
	 * @param micros the time of the server in microseconds since 1970
	 */
	record Row(@Nullable String text, long micros) {
	}

	/** The callbacks of a subscription, as most client libraries have them. */
	interface Subscriber {

		void subscribed();

		void received(String message);

		void disconnected();

	}

}
