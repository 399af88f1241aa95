/**
 * Every photo has an owner, and every owner a log. A change of a photo is numbered in its owner's log, kept for a while
 * and announced in the same transaction, whoever makes it: with the log's own name, which is random and new for every new
 * log, the number is the cursor of the long-polls and the ETag of every list. So nothing about a user's photos can be
 * learned from the numbers that another user gets, and no ETag or cursor of one fits the other.
 */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS account (
  name text PRIMARY KEY,
  log text NOT NULL DEFAULT left(gen_random_uuid()::text, 8),
  changes integer NOT NULL DEFAULT 0,
  seeded boolean NOT NULL DEFAULT false
);

-- Only a digest of the token: what is read here signs nobody in.
CREATE TABLE IF NOT EXISTS session (
  digest text PRIMARY KEY,
  account text NOT NULL REFERENCES account,
  ends_at timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS photo (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title text NOT NULL,
  description text NOT NULL,
  palette text NOT NULL,
  seed integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1
);

-- An older demo knew no users: its photos are the first one's, and its one log for all is given up.
ALTER TABLE photo ADD COLUMN IF NOT EXISTS owner text NOT NULL DEFAULT 'mira';
ALTER TABLE photo ALTER COLUMN owner DROP DEFAULT;
CREATE INDEX IF NOT EXISTS photo_of_owner ON photo (owner, id);
DROP TABLE IF EXISTS change, origin;

CREATE TABLE IF NOT EXISTS log_entry (
  owner text NOT NULL REFERENCES account,
  number integer NOT NULL,
  kind text NOT NULL,
  photo integer NOT NULL,
  title text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner, number)
);

-- The answers to writes that came with a key, so that the same write sent again has no second effect.
CREATE TABLE IF NOT EXISTS answer (
  owner text NOT NULL REFERENCES account,
  key text NOT NULL,
  digest text NOT NULL,
  status integer NOT NULL,
  headers jsonb NOT NULL,
  body text,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (owner, key)
);

CREATE OR REPLACE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  NEW.updated_at := now();
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed photo := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  latest integer;
BEGIN
  UPDATE account SET changes = changes + 1 WHERE name = changed.owner RETURNING changes INTO latest;
  INSERT INTO log_entry (owner, number, kind, photo, title)
    VALUES (changed.owner, latest,
            CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END,
            changed.id, changed.title);
  DELETE FROM log_entry WHERE owner = changed.owner AND number <= latest - 1000;
  PERFORM pg_notify('photo_changes', changed.owner || ' ' || latest);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER photo_version BEFORE UPDATE ON photo FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE OR REPLACE TRIGGER photo_change AFTER INSERT OR UPDATE OR DELETE ON photo
  FOR EACH ROW EXECUTE FUNCTION announce_change();
`;
