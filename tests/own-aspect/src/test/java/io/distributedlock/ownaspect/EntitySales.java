package io.distributedlock.ownaspect;

import io.distributedlock.annotation.DistributedLock;
import jakarta.persistence.EntityManager;

import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Sells by JPA, under the lock of the item. */
class EntitySales {

	private final StockItems items;

	private final EntityManager entityManager;

	EntitySales(StockItems items, EntityManager entityManager) {
		this.items = items;
		this.entityManager = entityManager;
	}

	@DistributedLock(name = "stock", key = "#id")
	@Transactional
	public void sell(String id) {
		this.items.findById(id).orElseThrow().sellOne();
	}

	@DistributedLock(name = "stock", key = "#id")
	@Transactional
	public void sellRefreshed(String id) {
		StockItem item = this.items.findById(id).orElseThrow();
		this.entityManager.refresh(item);
		item.sellOne();
	}

	@DistributedLock(name = "stock", key = "#id")
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	public void sellInNewTransaction(String id) {
		this.items.findById(id).orElseThrow().sellOne();
	}

}
