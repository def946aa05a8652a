package io.distributedlock.engine;

import io.distributedlock.engine.timer.ClockWatch;
import io.distributedlock.engine.timer.EngineLoop;
import io.distributedlock.engine.timer.HeapTimer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Clock and identity of an instance. When a clock has jumped, the instance takes another
 * identity, since other processes may have been restored from the same image, and has
 * everything confirmed that it holds. The timer begins with that.
 */
final class Doubt extends HeapTimer {

	private static final Log logger = LogFactory.getLog(Doubt.class);

	private final EngineLoop loop;

	private final Quiescence quiescence;

	private final ClockWatch clock;

	private volatile RequestIds requestIds;

	private Runnable confirmation = () -> {
	};

	Doubt(EngineDrive drive, Quiescence quiescence) {
		this.loop = drive.loop();
		this.quiescence = quiescence;
		this.requestIds = drive.requestIds();
		this.clock = new ClockWatch(drive.ticker(), drive.wallClock(), this::changeIdentity, this::begin);
	}

	/**
	 * What has everything confirmed that is held. Set once, before the loop is driven.
	 */
	void confirmation(Runnable confirmation) {
		this.confirmation = confirmation;
	}

	private void changeIdentity() {
		this.requestIds = this.requestIds.another();
	}

	/** The source of the requests that are made now. */
	RequestIds requestIds() {
		return this.requestIds;
	}

	long now() {
		return this.clock.nanos();
	}

	/** When the last jump was noticed. */
	long since() {
		return this.clock.doubtedAt();
	}

	/** Whether the store has to confirm again what it was asked at that time. */
	boolean covers(long time) {
		return time < since();
	}

	private void begin() {
		if (!this.quiescence.isStopped()) {
			this.loop.schedule(this, 0);
		}
	}

	@Override
	public void fire(long now) {
		logger.info("This machine was suspended or restored from an image, its wall clock was set, the application was "
				+ "stopped and started, another process has its identity, or a confirmation was asked for. All locks "
				+ "that are held have to be confirmed, and those of later requests are held by instance "
				+ this.requestIds.instance());
		this.confirmation.run();
	}

	/**
	 * Have everything confirmed that is held, though no clock shows a jump: another
	 * process may make requests by the same identity.
	 */
	void distrust() {
		this.clock.distrust();
	}

}
