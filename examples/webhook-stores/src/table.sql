-- Run this once, with your other migrations.
CREATE TABLE tryon_events (
  key text PRIMARY KEY,
  -- Who handles the event; nobody any more once it is done.
  owner text,
  until timestamptz NOT NULL
);

CREATE INDEX tryon_events_until ON tryon_events (until);
