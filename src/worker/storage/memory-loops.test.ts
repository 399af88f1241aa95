import { describeLoops } from './loops.contract.fixture.ts';
import { MemoryLoops } from './loops.ts';

describeLoops('memory', (clock) => new MemoryLoops(clock));
