import { offerWindow } from './window.js';

offerWindow();
