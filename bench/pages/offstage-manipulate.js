import { copied } from './functions.js';
import { offerOurs } from './ours.js';

offerOurs({ delegate: { manipulateData: copied } });
