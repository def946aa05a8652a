package io.distributedlock.engine;

import io.distributedlock.LossReason;
import io.distributedlock.engine.timer.ClockWatch;
import io.distributedlock.engine.timer.EngineLoop;
import io.distributedlock.engine.timer.HeapTimer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What an instance does when a clock has jumped: it takes another identity, since other
 * processes may have been restored from the same image, and has everything confirmed that
 * it holds. Its timer begins with that.
 */
final class Doubt extends HeapTimer {

	private static final Log logger = LogFactory.getLog(Doubt.class);

	private final Engine engine;

	private final EngineLoop loop;

	private final ClockWatch clock;

	private volatile RequestIds requestIds;

	Doubt(Engine engine, EngineDrive drive) {
		this.engine = engine;
		this.loop = drive.loop();
		this.requestIds = drive.requestIds();
		this.clock = new ClockWatch(drive.ticker(), drive.wallClock(), this::changeIdentity, this::begin);
	}

	private void changeIdentity() {
		this.requestIds = this.requestIds.another();
	}

	/** By which requests are made now. */
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
		if (!this.engine.isStopped()) {
			this.loop.schedule(this, 0);
		}
	}

	@Override
	public void fire(long now) {
		logger.info("This machine was suspended or restored from an image, its wall clock was set, the application was "
				+ "stopped and started, another process has its identity, or a confirmation was asked for. All locks "
				+ "that are held have to be confirmed, and those of later requests are held by instance "
				+ this.requestIds.instance());
		try {
			this.engine.store().start(this.requestIds.instance(), this.engine);
		}
		finally {
			this.engine.queues().all().forEach(KeyQueue::doubted);
		}
	}

	/**
	 * What is held has to be confirmed, though no clock shows a jump: another process may
	 * make requests by the same identity.
	 */
	void distrust() {
		this.clock.distrust();
	}

	/**
	 * Other processes may go on from the same image: what is held may be theirs as well.
	 */
	void restored() {
		this.clock.distrust();
		this.engine.loseAll(LossReason.RESTORED);
	}

}
