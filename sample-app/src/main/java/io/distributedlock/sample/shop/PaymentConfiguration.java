package io.distributedlock.sample.shop;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** A payment that does nothing: the sample does not show payments. */
@Configuration(proxyBeanMethods = false)
@Profile("!instance")
class PaymentConfiguration {

	@Bean
	Payment payment() {
		return (buyer) -> {
		};
	}

}
