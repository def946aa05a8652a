package io.distributedlock.sample.shop;

import java.util.Optional;

import org.springframework.data.repository.Repository;

/** Reads orders. */
interface PurchaseOrderRepository extends Repository<PurchaseOrder, Long> {

	Optional<PurchaseOrder> findById(long number);

}
