/**
 * Every change of a photo is numbered, kept for a while and announced in the same transaction, whoever makes it:
 * the number is the cursor of the long-polls and, with the database's own name, the ETag of every list.
 */
export const SCHEMA = `
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

CREATE TABLE IF NOT EXISTS change (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  photo integer NOT NULL
);

-- An older demo did not note these: what it logged is counted, but not told.
ALTER TABLE change ADD COLUMN IF NOT EXISTS title text;
ALTER TABLE change ADD COLUMN IF NOT EXISTS at timestamptz;

CREATE TABLE IF NOT EXISTS origin (name text NOT NULL);

CREATE OR REPLACE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  NEW.updated_at := now();
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  latest integer;
BEGIN
  INSERT INTO change (kind, photo, title, at)
    VALUES (CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END,
            CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END,
            CASE TG_OP WHEN 'DELETE' THEN OLD.title ELSE NEW.title END,
            now())
    RETURNING number INTO latest;
  DELETE FROM change WHERE number <= latest - 1000;
  PERFORM pg_notify('photo_changes', latest::text);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER photo_version BEFORE UPDATE ON photo FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE OR REPLACE TRIGGER photo_change AFTER INSERT OR UPDATE OR DELETE ON photo
  FOR EACH ROW EXECUTE FUNCTION announce_change();
`;
