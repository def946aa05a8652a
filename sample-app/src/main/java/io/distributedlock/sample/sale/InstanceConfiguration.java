package io.distributedlock.sample.sale;

import org.springframework.boot.ApplicationRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** What makes a process an instance of the sale. */
@Configuration(proxyBeanMethods = false)
@Profile("instance")
class InstanceConfiguration {

	/** The result of an orphan is of no use, so it does not stop to tidy up. */
	@Bean
	ParentLine parentLine() {
		return new ParentLine(System.in, () -> Runtime.getRuntime().halt(1));
	}

	@Bean
	ApplicationRunner instanceRunner(ParentLine parent, Buyers buyers) {
		return (arguments) -> {
			System.out.println(Protocol.READY);
			parent.awaitGo();
			System.out.println(Protocol.TALLY + buyers.buy().format());
		};
	}

}
