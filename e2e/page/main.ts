import * as offstage from 'offstage';
import type { LoadFunctions } from 'offstage';
import * as attacks from './attacks.ts';
import * as calls from './calls.ts';
import * as damage from './damage.ts';
import * as feed from './feed.ts';
import * as gap from './gap.ts';
import * as hiddenTab from './hidden-tab.ts';
import * as lives from './lives.ts';
import * as loops from './loops.ts';
import * as outbox from './outbox.ts';
import * as shelf from './shelf.ts';
import * as readers from './readers.ts';
import * as switching from './switching.ts';
import * as users from './users.ts';
import * as wholeAnswers from './whole-answers.ts';
import * as witness from './witness.ts';

declare global {
  interface Window {
    /** The library as users import it, for tests to use through `page.evaluate`. */
    offstage: typeof offstage;
    /** What tests use beside it to see what it does. */
    witness: typeof witness;
    /** What the fault bench has a page do. */
    attacks: typeof attacks;
    calls: typeof calls;
    damage: typeof damage;
    feed: typeof feed;
    gap: typeof gap;
    /** As an app says where its functions are. */
    functions: LoadFunctions;
    hiddenTab: typeof hiddenTab;
    lives: typeof lives;
    loops: typeof loops;
    outbox: typeof outbox;
    shelf: typeof shelf;
    readers: typeof readers;
    switching: typeof switching;
    users: typeof users;
    wholeAnswers: typeof wholeAnswers;
  }
}

window.offstage = offstage;
window.witness = witness;
window.attacks = attacks;
window.calls = calls;
window.damage = damage;
window.feed = feed;
window.gap = gap;
window.functions = () => import('./functions.ts');
window.hiddenTab = hiddenTab;
window.lives = lives;
window.loops = loops;
window.outbox = outbox;
window.shelf = shelf;
window.readers = readers;
window.switching = switching;
window.users = users;
window.wholeAnswers = wholeAnswers;
