package io.distributedlock.faults;

import java.time.Duration;

/** How a server comes to say nothing for a while. */
enum Standstill {

	/** Its process is stopped. */
	STOPPED {

		@Override
		void begin(FaultyRedis redis, FaultProxy proxy, Duration time) {
			redis.server.pause();
		}

		@Override
		void end(FaultyRedis redis, FaultProxy proxy) {
			redis.server.resume();
		}

	},

	/** It lets its clients wait, and ends that by itself. */
	CLIENTS_PAUSED {

		@Override
		void begin(FaultyRedis redis, FaultProxy proxy, Duration time) {
			redis.server.ask("CLIENT", "PAUSE", Long.toString(time.plusMillis(500).toMillis()), "ALL");
		}

		@Override
		void end(FaultyRedis redis, FaultProxy proxy) {
		}

	},

	/** The network swallows all in both directions, and then resets the connections. */
	CUT_OFF {

		@Override
		void begin(FaultyRedis redis, FaultProxy proxy, Duration time) {
			proxy.blackHole();
		}

		@Override
		void end(FaultyRedis redis, FaultProxy proxy) {
			proxy.pass();
		}

	};

	/** Let nothing be answered from here on. */
	abstract void begin(FaultyRedis redis, FaultProxy proxy, Duration time);

	/** Let the server answer again, at once or soon. */
	abstract void end(FaultyRedis redis, FaultProxy proxy);

}
