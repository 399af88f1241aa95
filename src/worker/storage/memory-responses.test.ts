import { describeAmendments } from './amendments.contract.fixture.ts';
import { MemoryResponses } from './responses.ts';
import { describeResponses } from './responses.contract.fixture.ts';

describeResponses('memory', (capacity) => new MemoryResponses(capacity));

describeAmendments('memory', (capacity) => new MemoryResponses(capacity));
