import { listed } from './functions.js';
import { offerOurs } from './ours.js';

offerOurs({ action: { response: listed } });
