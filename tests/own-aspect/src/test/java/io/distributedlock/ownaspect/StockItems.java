package io.distributedlock.ownaspect;

import org.springframework.data.jpa.repository.JpaRepository;

/** The things in stock. */
interface StockItems extends JpaRepository<StockItem, String> {

}
