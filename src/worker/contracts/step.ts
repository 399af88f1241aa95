import type { Addressee, Delivery } from '../../shared/protocol.ts';

/** A step on the way of a request, told to whoever asked for it. */
export type StepDelivery = (to: Addressee) => Delivery;
