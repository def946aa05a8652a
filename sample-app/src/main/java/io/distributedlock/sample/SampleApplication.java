package io.distributedlock.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The flash sale. The main process starts the servers that the sale needs, and runs it on
 * instances in processes of their own. It stays up as a shop with a REST API. With the
 * profile {@code instance} it is one of those instances.
 */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
public class SampleApplication {

	/**
	 * Start the application.
	 * @param args options such as {@code --flash-sale.instances=4}
	 */
	public static void main(String[] args) {
		ConfigurableApplicationContext context = SpringApplication.run(SampleApplication.class, args);
		if (context.getEnvironment().matchesProfiles("instance")) {
			System.exit(SpringApplication.exit(context));
		}
	}

}
