CREATE TABLE public.tryon_journal (
    journal text NOT NULL,
    id text NOT NULL,
    state text,
    entry text,
    owner text,
    claimed_until timestamp with time zone
);
CREATE TABLE public.tryon_quota (
    key text NOT NULL,
    count integer NOT NULL,
    expires_at double precision NOT NULL
);
INSERT INTO public.tryon_journal VALUES ('spring-2027', 'succeeded', 'succeeded', '{"id":"succeeded","state":"succeeded","idempotencyKey":"9d573fac0635dbb9d5f93b1ca34abea45cba222596c2a0603d1a9ad78684d07c","digest":"adc228e465f6fffb436f7a9c6751b29265bcb5018096487254c732780ac9b6ef","sync":true,"size":"1K","sentAt":1767225600000,"job":{"id":"job_Bl3P4e7Pbtatv8kBWSBgblYB","idempotencyKey":"9d573fac0635dbb9d5f93b1ca34abea45cba222596c2a0603d1a9ad78684d07c","data":{"job_id":"job_Bl3P4e7Pbtatv8kBWSBgblYB","status":"succeeded","cost_credits":8,"credits_remaining":992,"seed":null,"metadata":null,"test_mode":false,"error_code":null,"error_message":null,"message":null}}}', NULL, NULL);
INSERT INTO public.tryon_journal VALUES ('spring-2027', 'failed', 'failed', '{"id":"failed","state":"failed","idempotencyKey":"bbb1f698df438d8f421297ac580ad2def6122c3f923d73b393e45b04e4386705","digest":"adc228e465f6fffb436f7a9c6751b29265bcb5018096487254c732780ac9b6ef","sync":true,"size":"1K","sentAt":1767225605000,"job":{"id":"job_Ele5sgZsN4RwZCzZuwbhewSC","idempotencyKey":"bbb1f698df438d8f421297ac580ad2def6122c3f923d73b393e45b04e4386705","data":{"job_id":"job_Ele5sgZsN4RwZCzZuwbhewSC","status":"failed","cost_credits":8,"credits_remaining":984,"seed":null,"metadata":null,"test_mode":false,"error_code":"generation_failed","error_message":"content_blocked","message":null}}}', NULL, NULL);
INSERT INTO public.tryon_journal VALUES ('spring-2027', 'refused', 'refused', '{"id":"refused","state":"refused","idempotencyKey":"882a87b28c62310d30d711c7c725b0b2219c74bd51322e4494d39d93231f560e","digest":"adc228e465f6fffb436f7a9c6751b29265bcb5018096487254c732780ac9b6ef","sync":true,"size":"1K","sentAt":1767225610000}', NULL, NULL);
INSERT INTO public.tryon_journal VALUES ('spring-2027', 'submitted', 'submitted', '{"id":"submitted","state":"submitted","idempotencyKey":"ffdbb7dee67f60d13ab13f97e83b41183069ddc8e128e1eb2c0faed7c5895bd9","digest":"adc228e465f6fffb436f7a9c6751b29265bcb5018096487254c732780ac9b6ef","sync":false,"size":"1K","sentAt":1767225610000,"job":{"id":"job_3eEYMSdhqYW3hc6KMvZsQAlW","idempotencyKey":"ffdbb7dee67f60d13ab13f97e83b41183069ddc8e128e1eb2c0faed7c5895bd9","data":{"job_id":"job_3eEYMSdhqYW3hc6KMvZsQAlW","status":"running","cost_credits":8,"credits_remaining":976,"seed":null,"metadata":null,"test_mode":false,"error_code":null,"error_message":null,"message":null}}}', 'owner-of-1', '2023-11-14 22:13:20+00');
INSERT INTO public.tryon_journal VALUES ('spring-2027', 'sending', 'sending', '{"id":"sending","state":"sending","idempotencyKey":"afe4b1b00de9f86fb3ec55e64c0c38b17315a16693f6f7231aca21751826241c","digest":"adc228e465f6fffb436f7a9c6751b29265bcb5018096487254c732780ac9b6ef","sync":true,"size":"1K","sentAt":1767225612000}', 'owner-of-1', '2023-11-14 22:13:20+00');
INSERT INTO public.tryon_quota VALUES ('["claim","ada","one",1800057600000]', 1, 4795804293486.898);
INSERT INTO public.tryon_quota VALUES ('["submission","ada","one"]', 1, 4795804293487.794);
INSERT INTO public.tryon_quota VALUES ('[60000,"ada",1800000060000]', 2, 4795804293486.389);
INSERT INTO public.tryon_quota VALUES ('["claim","ada","two",1800057600000]', 1, 4795804293488.53);
INSERT INTO public.tryon_quota VALUES ('[86400000,"ada",1800057600000]', 2, 4795804293487.511);
INSERT INTO public.tryon_quota VALUES ('["submission","ada","two"]', 1, 4795804293489.369);
ALTER TABLE ONLY public.tryon_journal
    ADD CONSTRAINT tryon_journal_pkey PRIMARY KEY (journal, id);
ALTER TABLE ONLY public.tryon_quota
    ADD CONSTRAINT tryon_quota_pkey PRIMARY KEY (key);
