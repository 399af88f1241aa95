/** Answers of a `_changes` feed as express-pouchdb 4.2.0 wrote them, and the place that each leads to. */
export interface Sample {
  readonly name: string;
  readonly body: string;
  /** What the next request names as `since`; null where the answer says nothing of it. */
  readonly place: string | null;
}

const PHOTO_2 = '{"id":"photo-002","changes":[{"rev":"1-13604fa27c0f0fb9eb7440c76da91e7b"}],"seq":2}';
const PHOTO_3 = '{"id":"photo-003","changes":[{"rev":"1-3f3832c4b9bcb06a2e84ea62552d60a3"}],"seq":3}';

export const CHANGES: readonly Sample[] = [
  {
    name: 'a request that was held for three heartbeats, with the document',
    body:
      '{"results":[\n\n\n\n{"id":"photo-001","changes":[{"rev":"1-6fc17670dec924535b1ab19f2c3409c1"}],' +
      '"doc":{"title":"Sea","_id":"photo-001","_rev":"1-6fc17670dec924535b1ab19f2c3409c1"},"seq":1}\n],\n"last_seq":1}\n',
    place: '1',
  },
  {
    name: 'several changes that were there already; photo-001, once seq 1, was deleted as seq 4',
    body:
      `{"results":[${PHOTO_2},${PHOTO_3},{"id":"photo-001",` +
      '"changes":[{"rev":"2-2f63bf3bffc19c71dba8e0430d5d15df"}],"deleted":true,"seq":4}],"last_seq":4}\n',
    place: '4',
  },
  {
    name: 'as many changes as `limit=1` lets through',
    body: `{"results":[${PHOTO_2}],"last_seq":2}\n`,
    place: '2',
  },
  { name: 'no change since 4', body: '{"results":[],"last_seq":4}\n', place: '4' },
  {
    name: 'a place that is yet to come: the server names it itself',
    body: '{"results":[],"last_seq":99}\n',
    place: '99',
  },
  {
    name: 'a database that is not there (404)',
    body: '{"error":"not_found","reason":"no_db_file"}\n',
    place: null,
  },
];
