import { offerOurs } from './ours.js';

offerOurs();
