//! End-to-end tests: the built page in a real browser, driven by real keys and clicks.
//!
//! `cargo xtask test e2e [NAME…]` builds and serves the page, starts the browser's driver, and runs this.
//! Called without them (as a plain `cargo test` does) it says that it was skipped and counts nothing.
//!
//! To add a test: write `async fn its_name(browser: Browser)` in a module here, and put it into `all()`.
//! A test fails by a panic; afterwards every test also fails if the browser's console holds an error.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "test code: it panics to fail, prints its progress, and watches the clock"
)]

mod accessibility;
mod alone;
mod browser;
mod console;
mod corpus;
mod durability;
mod errors;
mod experiment;
mod failures;
mod faults;
mod firefox;
mod harness;
mod held;
mod history;
mod hostile;
mod insight;
mod keys;
mod language;
mod layout;
mod lessons;
mod membership;
mod mirror;
mod offline;
mod page;
mod ring;
mod scenario;
mod shell;
mod stopped;
mod time;
mod trouble;
mod why;

use harness::{Case, case, in_firefox};

/// Every test, in the order in which they run.
fn all() -> Vec<Case> {
    first().into_iter().chain(more()).collect()
}

/// The page as a whole, lessons, links, hostile text.
fn first() -> Vec<Case> {
    vec![
        case("page_loads_without_a_complaint", page::loads_without_a_complaint),
        case("page_sends_the_content_security_policy", page::sends_the_content_security_policy),
        case("page_keeps_every_address_relative", page::keeps_every_address_relative),
        case("offline", offline::a_second_visit_needs_no_server),
        case("new_version", offline::a_new_version_waits_for_a_yes),
        case("page_panic", stopped::a_panic_of_the_page_is_told),
        case("layout_sizes", layout::panels_are_resized_and_remembered),
        case("layout_large", layout::large_type_fits_and_is_remembered),
        case("layout_cards", layout::a_card_holds_long_numbers),
        case("layout_still", layout::nothing_moves_when_the_majority_is_lost),
        case("layout_phone", layout::a_phone_is_made_use_of),
        case("accessibility_desk", accessibility::every_view_on_a_desk),
        case("accessibility_phone", accessibility::every_view_on_a_phone),
        in_firefox("firefox_main_path", firefox::the_main_path_works),
        case("experiment_failover", experiment::failover),
        case("experiment_isolation", experiment::isolation),
        case("experiment_mouse", lessons::the_tutorial_can_be_followed_by_clicks),
        case("lesson_first_keys", lessons::the_first_lesson_can_be_followed_by_clicks),
        case("lesson_help", lessons::a_lesson_helps_and_remembers),
        case("lessons_data", lessons::lessons_about_data_are_done_by_their_solutions),
        case("lessons_clients", lessons::lessons_about_clients_are_done_by_their_solutions),
        case("errors_pasted", errors::a_pasted_message_finds_its_entry),
        case("errors_address", errors::an_entry_has_an_address_and_speaks_chinese),
        case("errors_play", errors::an_entry_plays_in_the_lab),
        case("errors_note", errors::a_log_line_that_nothing_here_writes_is_explained),
        case("list_stops", errors::a_long_list_is_one_stop),
        case("errors_in_sight", errors::the_list_shows_the_entry_of_an_address),
        case("experiment_keyboard", alone::by_keyboard),
        case("experiment_console", alone::in_the_console),
        case("chinese", language::a_chinese_reader_gets_a_chinese_page),
        case("language_switch", language::the_language_can_be_switched),
        case("shared_link_reproduces", lessons::a_shared_link_reproduces),
        case("scenario_editor", scenario::a_scenario_is_written_mended_played_and_shared),
        case("scenario_session", scenario::a_session_is_edited_and_shared),
        case("scenario_live", scenario::a_scenario_plays_on_the_cluster),
        case("scenario_address", scenario::a_link_goes_with_back_and_forward),
        case("broken_link", trouble::a_broken_link_is_refused),
        case("lab_not_loaded", trouble::a_lab_that_cannot_be_loaded_is_asked_again),
        case("wrong_lines", trouble::wrong_lines_are_refused),
        case("hostile_text", trouble::hostile_text_stays_text),
        case("hostile_keys", hostile::hostile_keys_stay_text),
        case("hostile_users", hostile::hostile_users_and_links_stay_text),
        case("hostile_link", hostile::a_hostile_link_stays_text),
        case("hostile_scenario", hostile::hostile_scenarios_stay_text),
        case("hostile_members", hostile::hostile_member_names_stay_text),
        case("crashed_member", trouble::a_crashed_member_restarts_from_its_disk),
        case("second_tab", trouble::a_second_tab_gets_its_own_cluster),
        case("full_disk", trouble::a_full_disk_stops_members_and_loses_nothing),
    ]
}

/// Those after them: what browsers do, faults, members, the shell, the views.
fn more() -> Vec<Case> {
    vec![
        case("killed_browser", failures::a_killed_browser_loses_nothing),
        case("cut_log", failures::a_cut_log_is_noticed),
        case("flipped_log", failures::a_garbled_log_is_noticed),
        case("unopenable_store", failures::an_unopenable_store_leaves_memory),
        case("no_large_files", failures::large_values_lie_in_no_files),
        case("cleared_data", failures::cleared_data_stops_members),
        case("newer_schema", failures::a_newer_database_is_left_alone),
        case("missing_stores", failures::a_database_without_stores_is_refused),
        case("mined_members", failures::mined_members_go_down_and_come_back),
        case("hidden_tab", failures::a_hidden_tab_keeps_its_leader),
        case("frozen_page", failures::a_frozen_page_goes_on),
        case("no_storage", failures::forbidden_storage_leaves_memory),
        case("watch_without_leader", trouble::a_watch_ends_without_a_leader),
        case("huge_put", trouble::a_huge_put_is_refused),
        case("hanging_owner", trouble::a_hanging_owner_does_not_hold_the_page),
        case("fault_slow_disk", faults::a_slow_disk_is_complained_of),
        case("fault_split", faults::a_split_elects_in_the_majority),
        case("fault_loss", faults::a_direction_loses_everything),
        case("fault_full_disk", faults::a_filled_disk_is_freed),
        case("fault_power_and_wipe", faults::power_is_cut_and_a_disk_is_wiped),
        case("fault_clock", faults::a_fast_clock_ends_leases_early),
        case("member_added", membership::a_member_is_added_and_removed),
        case("second_member", membership::a_second_member_gives_the_majority_back),
        case("learner", membership::a_learner_is_promoted),
        case("member_replaced", membership::a_member_that_lost_its_disk_is_replaced),
        case("lost_majority", membership::a_lost_majority_is_given_up),
        case("snapshot", membership::a_snapshot_is_installed),
        case("recorded_cases_1", |it| corpus::recorded_cases_are_reproduced_by_key_presses(it, 0)),
        case("recorded_cases_2", |it| corpus::recorded_cases_are_reproduced_by_key_presses(it, 1)),
        case("recorded_cases_3", |it| corpus::recorded_cases_are_reproduced_by_key_presses(it, 2)),
        case("recorded_cases_4", |it| corpus::recorded_cases_are_reproduced_by_key_presses(it, 3)),
        case("shell_rare", shell::a_rare_command_says_when_its_program_does_not_come),
        case("shell_password", shell::a_password_is_not_shown_nor_kept),
        case("shell_completion", shell::tab_completes_from_what_there_is),
        case("shell_reference", shell::every_command_has_a_page),
        case("shell_history", shell::history_and_control_keys_work),
        case("shell_paste", shell::pasted_lines_ask_first),
        case("shell_long_answer", shell::a_long_answer_is_windowed_and_whole),
        case("shell_snapshot", shell::a_snapshot_comes_back_as_a_cluster),
        case("shell_mirror", shell::a_mirror_goes_to_the_second_cluster),
        case("shell_long_work", shell::long_work_is_told_and_ended),
        case("keys_ribbon", keys::a_key_shows_its_ribbon_and_an_old_value_is_put_back),
        case("keys_tree", keys::keys_are_grouped_by_prefix_and_shown_as_they_were),
        case("insight_log", insight::the_log_shows_puts_and_the_entry_of_a_new_term),
        case("insight_log_phone", insight::a_long_entry_is_read_whole_on_a_phone),
        case("insight_quorum", insight::one_of_three_has_no_quorum),
        case("insight_exact", insight::what_is_exact_is_told_and_remembered),
        case("watches_lanes", held::a_cut_watch_goes_on_and_a_compacted_one_says_why),
        case("watches_leases", held::a_lease_runs_down_unless_it_is_kept_alive),
        case("insight_fetch", insight::a_view_that_does_not_come_is_told),
        case("ring_messages", ring::messages_are_listed_and_drawn_while_somebody_looks),
        case("ring_waiting", ring::what_a_member_waits_for_is_said),
        case("cluster_speed", ring::slow_motion_slows_and_settings_are_in_force),
        case("why_chain", why::why_chain),
        case("why_stuck", why::why_stuck),
        case("time_fork", time::a_lesson_is_rewound_and_forked),
        case("time_change", time::a_message_is_dropped_and_a_line_is_run),
        case("time_seed", time::a_seed_plays_to_its_end),
        case("time_keys", time::time_is_driven_by_keys),
        case("time_script", time::a_script_is_gone_through_by_keys),
        case("time_session", time::what_was_done_is_played_fast),
        case("history_verdict", history::the_verdict_follows_what_clients_do),
        case("history_invariants", history::the_invariants_hold_after_a_failover),
        case("chaos", durability::acknowledged_writes_survive),
    ]
}

fn main() -> std::process::ExitCode {
    harness::run(all())
}
