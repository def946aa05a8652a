package io.distributedlock.sample.sale;

import java.util.Map;

import org.springframework.boot.ApplicationRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** Beans that make a process an instance of the sale. */
@Configuration(proxyBeanMethods = false)
@Profile("instance")
class InstanceConfiguration {

	/** Halt an orphan without a shutdown, since its result is of no use. */
	@Bean
	ParentLine parentLine(PacedPayment payment) {
		return new ParentLine(System.in, () -> Runtime.getRuntime().halt(1),
				Map.of(Protocol.HOLD, payment::hold, Protocol.PROCEED, payment::proceed));
	}

	@Bean
	ApplicationRunner instanceRunner(ParentLine parent, Buyers buyers, Reporter reporter) {
		return (arguments) -> {
			System.out.println(Protocol.READY);
			parent.awaitGo();
			reporter.start();
			Tally tally = buyers.buy();
			reporter.report();
			System.out.println(Protocol.TALLY + tally.format());
		};
	}

}
