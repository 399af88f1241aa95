import { offerOurs } from './ours.js';

offerOurs({ poll: { notify: 'change' } });
