package io.distributedlock.sample.page;

import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Prints the address of the page before the sale begins. */
@Component
@Profile("!instance")
class PageAddress {

	@EventListener
	void print(WebServerInitializedEvent event) {
		System.out.printf("%nWatch the sale at http://127.0.0.1:%d/%n", event.getWebServer().getPort());
	}

}
