CREATE TABLE public.tryon_events (
    key text NOT NULL,
    owner text,
    expires_at double precision NOT NULL
);
INSERT INTO public.tryon_events VALUES ('"tryon.completed:job_open"', 'owner-of-1', 4795804293495.714);
INSERT INTO public.tryon_events VALUES ('"tryon.completed:job_done"', NULL, 4795804293496.78);
INSERT INTO public.tryon_events VALUES ('"tryon.completed:job_crashed"', 'owner-of-1', 1700000000000);
ALTER TABLE ONLY public.tryon_events
    ADD CONSTRAINT tryon_events_pkey PRIMARY KEY (key);
