CREATE TABLE tryon_events (key text PRIMARY KEY, owner text, expires_at double precision NOT NULL);
INSERT INTO tryon_events VALUES ('"tryon.completed:job_open"', 'owner-of-1', 4795804289767);
INSERT INTO tryon_events VALUES ('"tryon.completed:job_done"', NULL, 4795804289767);
INSERT INTO tryon_events VALUES ('"tryon.completed:job_crashed"', 'owner-of-1', 1700000000000);
