import { install } from 'offstage/worker';
import * as functions from './functions.js';

install(self, { functions });
