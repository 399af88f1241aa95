import { install } from './index.ts';
import type { WorkerScope } from './index.ts';

declare const self: WorkerScope;

install(self);
