import { install } from 'offstage/worker';

declare const self: ServiceWorkerGlobalScope;

install(self);
